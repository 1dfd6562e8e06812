// Addresses, short enough for a row.

/** An address without what every address has. @param {string} url */
export function bare(url) {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
}

/**
 * Cut in the middle: the end of an address tells as much as its beginning.
 * @param {string} text @param {number} most characters
 */
export function middleCut(text, most) {
  const characters = [...text];
  if (characters.length <= most) return text;
  const head = Math.ceil((most - 1) * 0.6);
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (most - 1 - head)).join('')}`;
}

/** The host of an address, or nothing. @param {string} url */
export function hostOf(url) {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}

/** A number from 0 to 5 that stays the same for a text: which colour its tile has. @param {string} text */
export function tint(text) {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % 6;
}
