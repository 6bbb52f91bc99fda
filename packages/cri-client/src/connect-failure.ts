import { StatusCode } from '@rxlet/cri-api';
import { CriError, type CriErrorKind } from './cri-error.ts';
import type { Endpoint } from './endpoint.ts';
import type { SocketFinding } from './socket-probe.ts';

/** Returns the error of a failed connection, with the findings at its socket. */
export function connectFailure(finding: SocketFinding, endpoint: Endpoint, method?: string): CriError {
  const [kind, reason] = explain(finding, endpoint);
  const message = `cannot connect to the ${endpoint.role.noun} at ${endpoint.url}: ${reason}`;
  return new CriError(message, { kind, code: StatusCode.Unavailable, endpoint: endpoint.url, method });
}

function explain(finding: SocketFinding, { role }: Endpoint): [kind: CriErrorKind, reason: string] {
  const isItRight = `is ${role.flag} right?`;
  switch (finding.kind) {
    case 'missing': {
      const what = finding.missingFolder === undefined ? 'the socket' : `the folder ${finding.missingFolder}`;
      return ['socket-missing', `${what} does not exist; is the runtime running, and ${isItRight}`];
    }
    case 'permission-denied': {
      const owner = finding.owner === undefined ? '' : ` (the socket has ${finding.owner})`;
      return [
        'permission-denied',
        `permission denied${owner}; run as root, or as a user who may use the socket and every folder above it`,
      ];
    }
    case 'not-a-socket':
      return ['connection-refused', `it is ${finding.what}, not a socket; ${isItRight}`];
    case 'refused':
      return ['connection-refused', 'the socket exists, but no process listens on it; is the runtime running?'];
    case 'foreign':
      return ['not-a-cri', `what answers there does not speak gRPC; ${isItRight}`];
    case 'closed':
      return ['unavailable', 'it closes connections at once; is the runtime just starting or stopping?'];
    case 'silent':
      return ['unavailable', 'it accepts connections but does not answer; is the runtime hung?'];
    case 'answers':
      return ['unavailable', 'it did not answer a moment ago, but does now; try again'];
    case 'failed':
      return ['unavailable', finding.message];
  }
}
