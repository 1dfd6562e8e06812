// What an instance says of its own set-up.

/**
 * @typedef {{ setting: string, value?: string } | { command: string }} Fix
 * @typedef {{ code: string, level: 'error' | 'warning' | 'note', message: string, fix: Fix }} Finding
 */

/** What mends a finding, as it is written into an environment file or typed. @param {Fix} fix */
export function mends(fix) {
  if ('command' in fix) return fix.command;
  return `${fix.setting}=${fix.value ?? ''}`;
}

/** A message as a sentence. @param {string} message */
export const sentenceOf = (message) => `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
