import { ApiError } from '../api-error.ts';
import type { User } from '../auth/user.ts';
import type { FaultScript } from '../faults/faults.ts';
import type { WatchMatch } from '../request/open-watches.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from './api-message.ts';
import type { RequestRecord } from './request-log.ts';

/** Parts of a server that other processes control. */
export interface ControlPorts {
  readonly faults: FaultScript;
  readonly requests: () => readonly RequestRecord[];
  readonly cutWatches: (match?: WatchMatch) => number;
  readonly compact: () => void;
  readonly setStaleness: (revisions: number) => void;
  /** Makes the server unreachable for a time. */
  readonly outage: (ms: number) => void;
}

/** Path below which requests control the server instead of reaching it. */
export const CONTROL_PATH = '/fake/';

/**
 * Handles a request of a test to control the server: `POST /fake/faults`, `DELETE /fake/faults`, `GET /fake/requests`, `POST /fake/cut-watches`, `POST /fake/compact`,
 * `POST /fake/staleness`, `POST /fake/outage`. Only administrators may.
 *
 * @throws ApiError when it is rejected
 */
export function handleControl(
  ports: ControlPorts,
  { method, body = '' }: ApiRequest,
  url: URL,
  user: User,
): ApiResponse {
  if (!user.groups.includes('system:masters')) {
    throw new ApiError('Forbidden', `User "${user.name}" cannot control the server`);
  }
  const parameters = parseParameters(body);
  const numberOf = (name: string): number => {
    const value = parameters[name];
    if (typeof value === 'number' && value >= 0) return value;
    throw new ApiError('BadRequest', `${name} must be a number that is not negative`);
  };
  switch (`${method} ${url.pathname.slice(CONTROL_PATH.length)}`) {
    case 'POST faults':
      ports.faults.add(parameters);
      return jsonResponse(200, {});
    case 'DELETE faults':
      ports.faults.clear();
      return jsonResponse(200, {});
    case 'GET requests':
      return jsonResponse(200, { items: ports.requests() });
    case 'POST cut-watches': {
      const { resource } = parameters;
      return jsonResponse(200, { cut: ports.cutWatches(typeof resource === 'string' ? { resource } : {}) });
    }
    case 'POST compact':
      ports.compact();
      return jsonResponse(200, {});
    case 'POST staleness':
      ports.setStaleness(numberOf('revisions'));
      return jsonResponse(200, {});
    case 'POST outage':
      ports.outage(numberOf('ms'));
      return jsonResponse(200, {});
    default:
      throw new ApiError('NotFound', `there is no control ${method} ${url.pathname}`);
  }
}

function parseParameters(body: string): Readonly<Record<string, unknown>> {
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below, like JSON that is no object.
  }
  throw new ApiError('BadRequest', 'the body must be a JSON object');
}
