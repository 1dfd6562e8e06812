//! The pages in Simplified Chinese.

use super::texts::{Message, Words};

pub(super) const WORDS: Words = Words {
    password_required: "需要密码",
    enter_password: "此链接受密码保护。请输入密码以继续。",
    password: "密码",
    wrong_password: "密码错误",
    go_on: "继续",
    unsafe_link: "链接可能不安全",
    trust_it: "此链接指向的网址已被标记为可能不安全。请仅在您信任该网址时继续。",
    go_back: "返回",
    welcome: "此服务器提供短链接服务。",
    no_link: Message {
        title: "未找到链接",
        text: "此网址没有对应的链接。请检查输入是否正确。",
    },
    expired: Message {
        title: "链接已过期",
        text: "此链接已失效。",
    },
    no_page: Message {
        title: "未找到页面",
        text: "此网址没有对应的页面。",
    },
    too_many_attempts: Message {
        title: "尝试次数过多",
        text: "请稍候再试。",
    },
    failed: Message {
        title: "出错了",
        text: "服务器无法响应。请稍后再试。",
    },
};
