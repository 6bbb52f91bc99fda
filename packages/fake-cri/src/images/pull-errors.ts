import { ServiceError, StatusCode } from '@rxlet/cri-api';

/**
 * Failures of an image pull:
 *
 * | kind                   | meaning                                                                          | code     |
 * | ---------------------- | -------------------------------------------------------------------------------- | -------- |
 * | `not-found`            | the registry has no such image                                                   | NotFound |
 * | `too-many-requests`    | the registry limits the rate: HTTP status 429                                    | Unknown  |
 * | `registry-unavailable` | the registry cannot be reached; the kubelet shows the reason RegistryUnavailable | Unknown  |
 * | `signature`            | a signature is wrong; the kubelet shows the reason SignatureValidationFailed     | Unknown  |
 * | `access-denied`        | credentials are required, and none were sent                                     | Unknown  |
 * | `unauthorized`         | the credentials that were sent are not accepted                                  | Unknown  |
 * | `no-space`             | the disk is full                                                                 | Unknown  |
 * | `other`                | see the message                                                                  | Unknown  |
 *
 * Codes are those of containerd, which has one only for missing images. All other failures differ only in their messages, which have the texts that
 * clients match. A client that relies on Unauthenticated or ResourceExhausted therefore fails in tests, too.
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

/** Default messages of registries. */
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

/** Returns the error of a failed pull of `reference`, which is complete. */
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
    // The kubelet matches the beginning of the message.
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
