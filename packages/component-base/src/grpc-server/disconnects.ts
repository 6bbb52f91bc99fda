import type { Http2ServerResponse } from 'node:http2';

/** Errors of connections and writes when a client has left. */
const DISCONNECT_CODES: ReadonlySet<string | undefined> = new Set(['ECANCELED', 'ECONNRESET', 'EPIPE']);

/** Reports whether an error means that the client has left. */
export const isDisconnect = (error: NodeJS.ErrnoException | null | undefined): boolean =>
  DISCONNECT_CODES.has(error?.code);

/** Reports a write to a client that has left as one to a destroyed stream. Connect prints other errors on standard error. */
export function reportDisconnect(response: Http2ServerResponse): void {
  const write = response.write.bind(response) as (...parameters: readonly unknown[]) => boolean;
  const wrap = (parameter: unknown): unknown => {
    if (typeof parameter !== 'function') return parameter;
    const done = parameter as (error?: unknown) => void;
    return (error?: NodeJS.ErrnoException | null) => {
      if (!isDisconnect(error)) done(error);
      else done(Object.assign(new Error('the client has left', { cause: error }), { code: 'ERR_STREAM_DESTROYED' }));
    };
  };
  response.write = (...parameters: readonly unknown[]) => write(...parameters.map(wrap));
}
