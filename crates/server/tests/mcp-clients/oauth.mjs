// What both major versions of the official client need to connect by consent: a provider that keeps
// everything in memory, and a person who signs in and agrees.

/** Signs in with the token, agrees, and returns where the browser is sent. */
export async function agree(address, token) {
  const post = (body, headers = {}) => fetch(address, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(body) });
  const entered = await post({ token });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0];
  if (!cookie) throw new Error(`not signed in: ${entered.status} ${await entered.text()}`);
  const page = await (await fetch(address, { redirect: 'manual', headers: { cookie } })).text();
  const form = /name="form" value="([^"]+)"/.exec(page)?.[1];
  if (!form) throw new Error(`no form: ${page}`);
  const scopes = [...page.matchAll(/name="scope" value="([^"]+)"/g)].map((found) => ['scope', found[1]]);
  const sent = await post([['form', form], ['decision', 'allow'], ...scopes], { cookie });
  const location = sent.headers.get('location');
  if (!location) throw new Error(`not sent back: ${sent.status} ${await sent.text()}`);
  return new URL(location);
}

export class Provider {
  constructor({ redirect, document }) {
    this.redirectUrl = redirect;
    if (document) this.clientMetadataUrl = document;
    this.clientMetadata = { client_name: 'SDK', redirect_uris: [redirect], grant_types: ['authorization_code', 'refresh_token'] };
    this.kept = {};
  }
  state() { return 'a state'; }
  clientInformation() { return this.kept.client; }
  saveClientInformation(client) { this.kept.client = client; }
  tokens() { return this.kept.tokens; }
  saveTokens(tokens) { this.kept.tokens = tokens; }
  saveCodeVerifier(verifier) { this.kept.verifier = verifier; }
  codeVerifier() { return this.kept.verifier; }
  redirectToAuthorization(address) { this.address = address; }
  saveDiscoveryState(state) { this.kept.discovery = state; }
  discoveryState() { return this.kept.discovery; }
}

/** Connects, calls a tool, and calls another after the access token was lost. */
export async function session(todo, { makeClient, makeTransport }) {
  const provider = new Provider(todo);
  const connect = async () => {
    const client = makeClient();
    const transport = makeTransport(new URL(todo.url), { authProvider: provider });
    await client.connect(transport);
    return client;
  };
  const first = makeTransport(new URL(todo.url), { authProvider: provider });
  const refused = await makeClient().connect(first).then(() => 'connected', (error) => error.constructor.name);
  const answer = await agree(provider.address, todo.token);
  await (todo.parameters ? first.finishAuth(answer.searchParams) : first.finishAuth(answer.searchParams.get('code')));
  const client = await connect();
  const { tools } = await client.listTools();
  const made = await client.callTool({ name: 'create_link', arguments: { url: 'https://example.com/', slug: todo.slug } });
  await client.close();
  const before = provider.kept.tokens;
  provider.kept.tokens = { ...before, access_token: 'slugline_access_lost' };
  const again = await connect();
  const read = await again.callTool({ name: 'get_link', arguments: { slug: todo.slug } });
  await again.close();
  return {
    refused,
    client: provider.kept.client?.client_id,
    tools: tools.length,
    made: made.isError ?? false,
    read: read.structuredContent?.slug ?? read.structuredContent?.link?.slug ?? null,
    renewed: provider.kept.tokens.refresh_token !== before.refresh_token,
  };
}
