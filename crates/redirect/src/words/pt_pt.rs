//! The pages in European Portuguese.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "Palavra-passe necessária",
    enter_password: "Esta ligação está protegida. Introduza a palavra-passe para continuar.",
    password: "Palavra-passe",
    wrong_password: "Palavra-passe incorreta",
    go_on: "Continuar",
    unsafe_link: "Ligação potencialmente insegura",
    trust_it: "O endereço por detrás desta ligação foi assinalado como potencialmente inseguro. Continue apenas se confiar nele.",
    go_back: "Voltar",
    welcome: "Este servidor encurta ligações.",
    no_link: Message {
        title: "Ligação não encontrada",
        text: "Não existe nenhuma ligação neste endereço. Verifique se está escrito corretamente.",
    },
    expired: Message {
        title: "Ligação expirada",
        text: "Esta ligação já não é válida.",
    },
    no_page: Message {
        title: "Página não encontrada",
        text: "Não existe nenhuma página neste endereço.",
    },
    too_many_attempts: Message {
        title: "Demasiadas tentativas",
        text: "Aguarde um momento e tente novamente.",
    },
    failed: Message {
        title: "Algo correu mal",
        text: "O servidor não conseguiu responder. Tente novamente mais tarde.",
    },
};
