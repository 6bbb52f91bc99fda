import { KubeError } from '@rxlet/kube-api/client';
import type { Status } from '@rxlet/kube-api';

/** Reasons of answers without a Status, by HTTP status. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const MAX_QUOTED_LENGTH = 200;
const MAX_RETRY_AFTER_SECONDS = 3600;

/** Returns the failure that an answer reports. */
export function responseError(code: number, text: string, retryAfter: string | undefined): KubeError {
  const status = parseStatus(text);
  const retryAfterMs = retryAfterOf(retryAfter) ?? retryAfterOf(status?.details?.retryAfterSeconds?.toString());
  const reason = status?.reason || (REASONS[code] ?? 'Unknown');
  const quoted = text.replace(/\s+/g, ' ').trim().slice(0, MAX_QUOTED_LENGTH);
  const message = status?.message || `the server answered ${String(code)}${quoted === '' ? '' : `: ${quoted}`}`;
  return new KubeError(reason, message, { code, status, retryAfterMs });
}

/** Returns the failure that an ERROR event of a watch reports. */
export function watchError(object: unknown): KubeError {
  const status = isStatus(object) ? object : undefined;
  if (status === undefined) return new KubeError('InvalidResponse', 'the watch sent an error that is no Status');
  const { code, reason, message = 'the watch failed' } = status;
  const retryAfterMs = retryAfterOf(status.details?.retryAfterSeconds?.toString());
  return new KubeError(reason || (REASONS[code ?? 0] ?? 'Unknown'), message, { code, status, retryAfterMs });
}

/** Reports whether the API server no longer has the version that a request asked for. */
export function isExpired(error: KubeError): boolean {
  return error.reason === 'Expired' || error.reason === 'Gone' || error.code === 410;
}

/** Reports whether the API server does not have the version yet, or never had it, as after a restored backup. */
export function isVersionTooLarge(error: KubeError): boolean {
  const causes = error.status?.details?.causes ?? [];
  return error.code === 504 && causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');
}

function parseStatus(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Status).kind === 'Status';
}

/** Reads a number of seconds; other forms, such as dates, are ignored as client-go does. */
function retryAfterOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), MAX_RETRY_AFTER_SECONDS) * 1000 : undefined;
}
