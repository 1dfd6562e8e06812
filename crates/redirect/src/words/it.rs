//! The pages in Italian.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "Password richiesta",
    enter_password: "Questo link è protetto. Inserisci la password per continuare.",
    password: "Password",
    wrong_password: "Password errata",
    go_on: "Continua",
    unsafe_link: "Link potenzialmente non sicuro",
    trust_it: "L’indirizzo a cui porta questo link è stato segnalato come potenzialmente non sicuro. Continua solo se lo ritieni affidabile.",
    go_back: "Torna indietro",
    welcome: "Questo server accorcia i link.",
    no_link: Message {
        title: "Link non trovato",
        text: "A questo indirizzo non c’è nessun link. Controlla che sia scritto correttamente.",
    },
    expired: Message {
        title: "Link scaduto",
        text: "Questo link non è più valido.",
    },
    no_page: Message {
        title: "Pagina non trovata",
        text: "A questo indirizzo non c’è nessuna pagina.",
    },
    too_many_attempts: Message {
        title: "Troppi tentativi",
        text: "Attendi un momento, poi riprova.",
    },
    failed: Message {
        title: "Qualcosa è andato storto",
        text: "Il server non è riuscito a rispondere. Riprova più tardi.",
    },
};
