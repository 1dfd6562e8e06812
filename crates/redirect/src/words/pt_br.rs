//! The pages in Brazilian Portuguese.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "Senha necessária",
    enter_password: "Este link é protegido. Digite a senha para continuar.",
    password: "Senha",
    wrong_password: "Senha incorreta",
    go_on: "Continuar",
    unsafe_link: "Link potencialmente inseguro",
    trust_it: "O endereço por trás deste link foi marcado como potencialmente inseguro. Continue somente se confiar nele.",
    go_back: "Voltar",
    welcome: "Este servidor encurta links.",
    no_link: Message {
        title: "Link não encontrado",
        text: "Não há nenhum link neste endereço. Verifique se ele foi digitado corretamente.",
    },
    expired: Message {
        title: "Link expirado",
        text: "Este link não é mais válido.",
    },
    no_page: Message {
        title: "Página não encontrada",
        text: "Não há nenhuma página neste endereço.",
    },
    too_many_attempts: Message {
        title: "Muitas tentativas",
        text: "Aguarde um momento e tente novamente.",
    },
    failed: Message {
        title: "Algo deu errado",
        text: "O servidor não conseguiu responder. Tente novamente mais tarde.",
    },
};
