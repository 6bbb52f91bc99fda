/** Header field of the token, see the server's `TOKEN_HEADER`. */
const TOKEN_HEADER = 'x-rxlet-token';
/** The agent's endpoints are above the page's own address. */
const ROOT = new URL('..', document.baseURI);
const STORED_TOKEN = `rxlet-token ${ROOT.pathname}`;

/** Permissions of this page. */
export interface Session {
  /** Whether there are terminals. */
  readonly allowsExec: boolean;
}

/** There is no session, and the page cannot open one. */
export class NoSessionError extends Error {
  override readonly name = 'NoSessionError';
}

/** Opens the session: with the secret of the address when there is one, else with what an earlier page of this browser has stored. */
export async function openSession(): Promise<Session> {
  const secret = /^#secret=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (secret !== undefined) {
    // Out of the address bar and the history before anything else.
    history.replaceState(null, '', location.pathname);
    const answer = await fetch(address('ui/session'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    });
    if (answer.ok) {
      const { token, ...session } = (await answer.json()) as Session & { readonly token: string };
      localStorage.setItem(STORED_TOKEN, token);
      return session;
    }
  }
  return (await (await get('ui/session')).json()) as Session;
}

/**
 * Reads an endpoint of the agent.
 * @throws NoSessionError, and Error with the answer's text for another status than 200
 */
export async function get(path: string, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(address(path), { headers: tokenHeaders(), ...(signal !== undefined && { signal }) });
  if (answer.status === 401 || answer.status === 403) throw new NoSessionError(await answer.text());
  if (!answer.ok) throw new Error((await answer.text()).trim() || `status ${String(answer.status)}`);
  return answer;
}

/** Returns the address of a WebSocket, and the ticket that opens it. */
export async function requestTicket(path: string): Promise<{ readonly url: string; readonly ticket: string }> {
  const answer = await fetch(address('ui/ticket'), {
    method: 'POST',
    headers: { ...tokenHeaders(), 'content-type': 'application/json' },
    body: '{}',
  });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const { ticket } = (await answer.json()) as { readonly ticket: string };
  const url = address(path);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return { url: url.href, ticket };
}

function address(path: string): URL {
  return new URL(path, ROOT);
}

function tokenHeaders(): Record<string, string> {
  const token = localStorage.getItem(STORED_TOKEN);
  return token === null ? {} : { [TOKEN_HEADER]: token };
}
