// Names of tokens, as a page may show them.

/** Characters that show nothing or change the direction of a text. Names made by earlier versions may have them. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** A name with escapes for hidden characters, as the command line shows it. @param {string} name */
export const visible = (name) => name.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
