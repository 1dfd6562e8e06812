// The properties of visits, and the panels that show them.

/** @typedef {import('../words.js').Word} Word */
/** @typedef {{ type: string, word: Word, filter: boolean, single?: boolean, several?: boolean }} Dimension `filter` says whether the API filters by it, `single` that each value is one visitor, `several` that it is shown where there are several domains. */

/** @type {readonly { name: string, tabs: readonly Dimension[], map?: boolean, word?: Word }[]} Called by `word`, or else by its first tab. */
export const PANELS = [
  { name: 'links', tabs: [
    { type: 'slug', word: 'links', filter: true },
    { type: 'url', word: 'destinations', filter: true },
    { type: 'domain', word: 'domains', filter: true, several: true },
  ] },
  { name: 'sources', tabs: [
    { type: 'referer', word: 'referers', filter: true },
    { type: 'channel', word: 'channels', filter: true },
    { type: 'language', word: 'languages', filter: true },
    { type: 'ip', word: 'visitorTokens', filter: false, single: true },
    { type: 'COLO', word: 'colos', filter: false },
  ] },
  { name: 'places', map: true, tabs: [
    { type: 'country', word: 'countries', filter: true },
    { type: 'region', word: 'regions', filter: true },
    { type: 'city', word: 'cities', filter: true },
    { type: 'timezone', word: 'timezones', filter: true },
  ] },
  { name: 'devices', tabs: [
    { type: 'browser', word: 'browsers', filter: true },
    { type: 'os', word: 'systems', filter: true },
    { type: 'deviceType', word: 'devices', filter: true },
    { type: 'device', word: 'models', filter: true },
    { type: 'browserType', word: 'browserTypes', filter: true },
    { type: 'ua', word: 'userAgents', filter: false },
  ] },
  { name: 'campaigns', word: 'utmCampaigns', tabs: [
    { type: 'utmSource', word: 'utmSources', filter: true },
    { type: 'utmMedium', word: 'utmMediums', filter: true },
    { type: 'utmCampaign', word: 'utmCampaigns', filter: true },
  ] },
];

export const DIMENSIONS = PANELS.flatMap(({ tabs }) => tabs);

/** Those that a view can be filtered by, in the order of the chips. */
export const FILTERS = ['tag', ...DIMENSIONS.filter(({ filter }) => filter).map(({ type }) => type)];

/** @param {string} type */
export const wordOf = (type) => (type === 'tag' ? 'tag' : DIMENSIONS.find((dimension) => dimension.type === type)?.word);
