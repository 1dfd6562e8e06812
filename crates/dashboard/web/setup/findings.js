// What an instance says of its own set-up, where the server tells it.

/**
 * @typedef {{ level?: string, text?: string, message?: string, setting?: string, value?: string }} Finding
 * @typedef {{ version?: string, findings?: Finding[] }} Setup
 */

/** Worst first. @param {Setup | undefined} setup @returns {{ bad: boolean, text: string, setting: string }[]} */
export function findingsOf(setup) {
  const findings = (setup?.findings ?? []).map(({ level = '', text, message, setting, value }) => ({
    bad: level !== 'ok' && level !== 'good',
    text: text ?? message ?? '',
    setting: setting ? (value === undefined ? setting : `${setting}=${value}`) : '',
  }));
  return findings.sort((a, b) => Number(b.bad) - Number(a.bad));
}
