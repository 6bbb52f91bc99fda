import { once } from 'node:events';
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request at the gate. */
export interface GateRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** The user that it names by basic authentication; never the password. */
  readonly user: string | undefined;
  /** The registry's answer; `undefined` while there is none. */
  readonly status: number | undefined;
}

/** Held requests. Disposing of it releases them. */
export interface Hold extends Disposable {
  /** The held requests, in order of arrival. */
  waiting(): readonly GateRequest[];
  /** Forwards all held requests, and holds no further ones. */
  release(): void;
}

/**
 * A proxy in front of a registry that records requests and can hold them, so that a test sees which pulls run at the same time, however fast the machine is.
 */
export interface RegistryGate extends AsyncDisposable {
  /** `127.0.0.1:PORT`, the registry's name in image references. */
  readonly host: string;
  /** All requests so far, in order of arrival. */
  requests(): readonly GateRequest[];
  /** Holds further requests whose path matches until {@link Hold.release}. */
  hold(path: RegExp): Hold;
  /** Forwards only the first `bytes` of the responses to further requests whose path matches, and their rest after {@link Hold.release}. */
  stall(path: RegExp, bytes: number): Hold;
}

interface PendingHold {
  readonly path: RegExp;
  readonly waiting: Map<GateRequest, () => void>;
}

/** Opens a gate on a free port of the loopback interface, before the registry on `registryPort` there. */
export async function openRegistryGate(registryPort: number): Promise<RegistryGate> {
  const requests: { -readonly [Key in keyof GateRequest]: GateRequest[Key] }[] = [];
  const holds = new Set<PendingHold>();
  const stalls = new Set<PendingHold & { readonly bytes: number }>();

  const open = <T extends PendingHold>(all: Set<T>, hold: T): Hold => {
    all.add(hold);
    const release = (): void => {
      all.delete(hold);
      for (const pass of hold.waiting.values()) pass();
      hold.waiting.clear();
    };
    return { waiting: () => [...hold.waiting.keys()], release, [Symbol.dispose]: release };
  };
  const sendBody = async (request: GateRequest, response: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const stall = [...stalls].find(({ path }) => path.test(request.path));
    let left = stall?.bytes ?? Infinity;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      answer.write(chunk.subarray(0, left));
      if (chunk.length > left) {
        await new Promise<void>((resolve) => {
          stall!.waiting.set(request, resolve);
          answer.once('close', () => {
            stall!.waiting.delete(request);
            resolve();
          });
        });
        answer.write(chunk.subarray(left));
        left = Infinity;
      }
      left -= chunk.length;
    }
    answer.end();
  };
  const forward = (
    request: GateRequest,
    incoming: IncomingMessage,
    answer: ServerResponse,
    seen: (status: number) => void,
  ): void => {
    const outgoing = sendRequest(
      { host: '127.0.0.1', port: registryPort, method: incoming.method, path: incoming.url, headers: incoming.headers },
      (response) => {
        seen(response.statusCode ?? 0);
        answer.writeHead(response.statusCode ?? 502, response.headers);
        sendBody(request, response, answer).catch(() => answer.destroy());
      },
    );
    outgoing.once('error', () => answer.destroy());
    answer.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  };

  const server = createServer((incoming, answer) => {
    const request = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      user: userOf(incoming.headers.authorization),
      status: undefined as number | undefined,
    };
    requests.push(request);
    const pass = (): void => forward(request, incoming, answer, (status) => (request.status = status));
    const hold = [...holds].find(({ path }) => path.test(request.path));
    if (hold === undefined) return pass();
    hold.waiting.set(request, pass);
    // The client gave up.
    answer.once('close', () => hold.waiting.delete(request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    host: `127.0.0.1:${String(port)}`,
    requests: () => [...requests],
    hold: (path) => open(holds, { path, waiting: new Map() }),
    stall: (path, bytes) => open(stalls, { path, bytes, waiting: new Map() }),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function userOf(authorization: string | undefined): string | undefined {
  const [, encoded] = /^Basic (.*)$/.exec(authorization ?? '') ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString().replace(/:.*/s, '');
}
