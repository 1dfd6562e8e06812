// The page's words in the reader's language.
import { fetchPart } from './fetching.js';
import { language } from './state/choices.js';
import { formatter } from './text/formatter.js';
import { numbers } from './text/number.js';
import { signal } from './view.js';

/** @typedef {import('./words/en.js').Words} Words */
/** @typedef {keyof Words} Word */

/** Tag, and the name that its speakers give it. */
export const LANGUAGES = /** @type {const} */ ([
  ['de-DE', 'Deutsch', 'de'], ['en-US', 'English', 'en'], ['fr-FR', 'Français', 'fr'], ['id-ID', 'Bahasa Indonesia', 'id'],
  ['it-IT', 'Italiano', 'it'], ['pt-BR', 'Português (Brasil)', 'pt-br'], ['pt-PT', 'Português (Portugal)', 'pt-pt'],
  ['vi-VN', 'Tiếng Việt', 'vi'], ['zh-CN', '简体中文', 'zh-cn'], ['zh-TW', '繁體中文', 'zh-tw'],
]);

/** @type {import('./view.js').Signal<Words>} */
const words = signal(/** @type {Words} */ ({}));

/** The tag of the language that is shown. */
export const tag = signal('en-US');

/** Numbers in that language. */
export const figures = signal(numbers('en-US'));

/**
 * The best of our languages for those that a reader prefers.
 * @param {readonly string[]} preferred
 * @returns {typeof LANGUAGES[number]}
 */
export function fitting(preferred) {
  for (const wanted of preferred) {
    const [name, ...rest] = wanted.toLowerCase().split('-');
    const traditional = ['hant', 'tw', 'hk', 'mo'].some((part) => rest.includes(part)) && !rest.includes('hans');
    const special = name === 'pt' ? (rest.includes('pt') ? 'pt-pt' : 'pt-br') : name === 'zh' ? (traditional ? 'zh-tw' : 'zh-cn') : name;
    const found = LANGUAGES.find(([, , file]) => file === special);
    if (found) return found;
  }
  return LANGUAGES[1];
}

/** Fetches the words of the language that was chosen, or that the browser prefers. */
export async function loadWords() {
  const chosen = language.value;
  const [wanted, , file] = fitting(chosen === 'system' ? navigator.languages : [chosen]);
  const loaded = await fetchPart((again) => import(`./words/${file}.js${again}`));
  words.value = loaded.words;
  figures.value = numbers(wanted);
  tag.value = wanted;
  document.documentElement.lang = wanted;
}

/**
 * A text with its blanks filled: `{n}` and others. A word with forms takes the
 * one that `n` asks for.
 * @param {Word} word @param {Record<string, string | number>} [values]
 */
export function say(word, values = {}) {
  const text = words.value[word];
  const form = typeof text === 'string' ? text : formFor(text, Number(values.n ?? 0));
  return form.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? figures.value.full(value) : value;
  });
}

/** @param {{ one?: string, other: string }} forms @param {number} n */
function formFor(forms, n) {
  const rule = formatter(Intl.PluralRules, tag.value).select(n);
  return rule === 'one' && forms.one ? forms.one : forms.other;
}
