//! The pages in English.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "Password Required",
    enter_password: "This link is protected. Enter its password to go on.",
    password: "Password",
    wrong_password: "Incorrect password",
    go_on: "Continue",
    unsafe_link: "Potentially Unsafe Link",
    trust_it: "The address behind this link was marked as potentially unsafe. Go on only if you trust it.",
    go_back: "Go Back",
    welcome: "This server shortens links.",
    no_link: Message {
        title: "Link not found",
        text: "There is no link at this address. Check that it is spelled correctly.",
    },
    expired: Message {
        title: "Link expired",
        text: "This link is no longer valid.",
    },
    no_page: Message {
        title: "Page not found",
        text: "There is no page at this address.",
    },
    too_many_attempts: Message {
        title: "Too many attempts",
        text: "Wait a moment, then try again.",
    },
    failed: Message {
        title: "Something went wrong",
        text: "The server could not answer. Try again later.",
    },
};
