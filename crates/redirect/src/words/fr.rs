//! The pages in French.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "Mot de passe requis",
    enter_password: "Ce lien est protégé. Saisissez son mot de passe pour continuer.",
    password: "Mot de passe",
    wrong_password: "Mot de passe incorrect",
    go_on: "Continuer",
    unsafe_link: "Lien potentiellement dangereux",
    trust_it: "L’adresse vers laquelle mène ce lien a été signalée comme potentiellement dangereuse. Ne continuez que si vous lui faites confiance.",
    go_back: "Retour",
    welcome: "Ce serveur raccourcit des liens.",
    no_link: Message {
        title: "Lien introuvable",
        text: "Il n’y a aucun lien à cette adresse. Vérifiez qu’elle est correctement écrite.",
    },
    expired: Message {
        title: "Lien expiré",
        text: "Ce lien n’est plus valable.",
    },
    no_page: Message {
        title: "Page introuvable",
        text: "Il n’y a aucune page à cette adresse.",
    },
    too_many_attempts: Message {
        title: "Trop de tentatives",
        text: "Patientez un instant, puis réessayez.",
    },
    failed: Message {
        title: "Une erreur s’est produite",
        text: "Le serveur n’a pas pu répondre. Réessayez plus tard.",
    },
};
