import { ServiceError, StatusCode } from '@rxlet/cri-api';

/**
 * What goes wrong when an image is pulled:
 *
 * | kind                   | what it stands for                                                               | code     |
 * | ---------------------- | -------------------------------------------------------------------------------- | -------- |
 * | `not-found`            | the registry has no such image                                                   | NotFound |
 * | `too-many-requests`    | the registry limits the rate: HTTP status 429                                    | Unknown  |
 * | `registry-unavailable` | the registry cannot be reached; the kubelet shows the reason RegistryUnavailable | Unknown  |
 * | `signature`            | a signature is wrong; the kubelet shows the reason SignatureValidationFailed     | Unknown  |
 * | `access-denied`        | credentials are needed, and none were sent                                       | Unknown  |
 * | `unauthorized`         | the credentials that were sent are not accepted                                  | Unknown  |
 * | `no-space`             | the disk is full                                                                 | Unknown  |
 * | `other`                | whatever the message says                                                        | Unknown  |
 *
 * Codes are those of containerd, which gives one only to what it knows to be missing; everything else is told apart by its words alone, so that a
 * client that counts on Unauthenticated or ResourceExhausted is found out. The words are those that clients look for.
 */
export type PullErrorKind = (typeof PULL_ERROR_KINDS)[number];

export const PULL_ERROR_KINDS: readonly [
  'not-found',
  'too-many-requests',
  'registry-unavailable',
  'signature',
  'access-denied',
  'unauthorized',
  'no-space',
  'other',
] = [
  'not-found',
  'too-many-requests',
  'registry-unavailable',
  'signature',
  'access-denied',
  'unauthorized',
  'no-space',
  'other',
];

/** What the other side says when the fake's owner gave it no words. */
const DEFAULT_DETAILS: Readonly<Record<PullErrorKind, string>> = {
  'not-found': '',
  'too-many-requests': 'toomanyrequests: the pull rate limit is exceeded',
  'registry-unavailable': 'connection refused',
  signature: 'no signature of a trusted key',
  'access-denied': 'insufficient_scope: authorization failed',
  unauthorized: 'unexpected status: 401 Unauthorized',
  'no-space': 'no space left on device',
  other: 'unexpected status: 500 Internal Server Error',
};

/** The error with which the pull of `reference`, given in full, fails. */
export function pullError(
  kind: PullErrorKind,
  reference: string,
  detail: string = DEFAULT_DETAILS[kind],
): ServiceError {
  const failed = `failed to pull and unpack image "${reference}"`;
  const unresolved = `${failed}: failed to resolve reference "${reference}"`;
  switch (kind) {
    case 'not-found':
      return new ServiceError(StatusCode.NotFound, `${unresolved}: ${detail === '' ? '' : `${detail}: `}not found`);
    case 'too-many-requests':
      return unknown(`${failed}: failed to copy: unexpected status: 429 Too Many Requests: ${detail}`);
    // The kubelet looks at how a message begins.
    case 'registry-unavailable':
      return unknown(`RegistryUnavailable: ${unresolved}: ${detail}`);
    case 'signature':
      return unknown(`SignatureValidationFailed: ${failed}: ${detail}`);
    case 'access-denied':
      return unknown(
        `${unresolved}: pull access denied, repository does not exist or may require authorization: server message: ${detail}`,
      );
    case 'unauthorized':
      return unknown(`${unresolved}: failed to authorize: failed to fetch oauth token: ${detail}`);
    case 'no-space':
      return unknown(`${failed}: failed to extract layer: ${detail}`);
    case 'other':
      return unknown(`${failed}: ${detail}`);
  }
}

function unknown(message: string): ServiceError {
  return new ServiceError(StatusCode.Unknown, message);
}
