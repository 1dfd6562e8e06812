// An address whose middle gives way where a row has no room for it: the host at
// its beginning and its end stay.

/** How many characters at the end are never cut: a whole part of the address if one fits. */
const SHORTEST = 6;
const USUAL = 12;
const LONGEST = 18;

/**
 * The part that may be cut, and the part that stays. Short texts have no second part.
 * @param {string} text @returns {[string, string]}
 */
export function headAndEnd(text) {
  const characters = [...text];
  if (characters.length <= LONGEST * 1.5) return [text, ''];
  const parts = Array.from({ length: LONGEST - SHORTEST + 1 }, (_, n) => SHORTEST + n).filter((length) => '/?&'.includes(characters[characters.length - length] ?? ''));
  const length = parts[0] ?? USUAL;
  return [characters.slice(0, -length).join(''), characters.slice(-length).join('')];
}
