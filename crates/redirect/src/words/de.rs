//! The pages in German.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "Passwort erforderlich",
    enter_password: "Dieser Link ist geschützt. Geben Sie das Passwort ein, um fortzufahren.",
    password: "Passwort",
    wrong_password: "Falsches Passwort",
    go_on: "Weiter",
    unsafe_link: "Möglicherweise unsicherer Link",
    trust_it: "Die Adresse hinter diesem Link wurde als möglicherweise unsicher markiert. Fahren Sie nur fort, wenn Sie ihr vertrauen.",
    go_back: "Zurück",
    welcome: "Dieser Server kürzt Links.",
    no_link: Message {
        title: "Link nicht gefunden",
        text: "Unter dieser Adresse gibt es keinen Link. Bitte prüfen Sie die Schreibweise.",
    },
    expired: Message {
        title: "Link abgelaufen",
        text: "Dieser Link ist nicht mehr gültig.",
    },
    no_page: Message {
        title: "Seite nicht gefunden",
        text: "Unter dieser Adresse gibt es keine Seite.",
    },
    too_many_attempts: Message {
        title: "Zu viele Versuche",
        text: "Bitte warten Sie einen Moment und versuchen Sie es dann noch einmal.",
    },
    failed: Message {
        title: "Etwas ist schiefgelaufen",
        text: "Der Server konnte nicht antworten. Bitte versuchen Sie es später noch einmal.",
    },
};
