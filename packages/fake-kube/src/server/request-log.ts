import type { ApiRequest } from './api-message.ts';

/** A request that a server got. */
export interface RequestRecord {
  /** Time of the request, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string | undefined;
  readonly userAgent: string | undefined;
  readonly user: string;
  /** HTTP status; `undefined` while there is no answer. */
  readonly status: number | undefined;
}

/** The last requests. */
export interface RequestLog {
  add(request: ApiRequest, user: string, atMs: number): { finish(status: number): void };
  records(): readonly RequestRecord[];
}

const LIMIT = 1000;

/** Creates an empty {@link RequestLog}. */
export function createRequestLog(): RequestLog {
  const records: RequestRecord[] = [];
  return {
    add({ method, path, body, headers }, user, atMs) {
      const [pathname = '', query = ''] = path.split('?', 2);
      const record = {
        atMs,
        method,
        path: pathname,
        query,
        body,
        userAgent: headers['user-agent'],
        user,
        status: undefined as number | undefined,
      };
      records.push(record);
      if (records.length > LIMIT) records.shift();
      return { finish: (status) => void (record.status = status) };
    },
    records: () => [...records],
  };
}
