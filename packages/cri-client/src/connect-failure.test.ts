import { StatusCode } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { connectFailure } from './connect-failure.ts';
import type { CriErrorKind } from './cri-error.ts';
import { IMAGE_ROLE, parseEndpoint } from './endpoint.ts';
import type { SocketFinding } from './socket-probe.ts';

const endpoint = parseEndpoint('unix:///run/x.sock');

describe('connectFailure', () => {
  it.each<[SocketFinding, CriErrorKind, string]>([
    [
      { kind: 'missing' },
      'socket-missing',
      'the socket does not exist; is the runtime running, and is --container-runtime-endpoint right?',
    ],
    [{ kind: 'missing', missingFolder: '/run/x' }, 'socket-missing', 'the folder /run/x does not exist'],
    [
      { kind: 'permission-denied', owner: 'mode 0660, owner 0:0' },
      'permission-denied',
      'permission denied (the socket has mode 0660, owner 0:0)',
    ],
    [{ kind: 'permission-denied' }, 'permission-denied', 'permission denied; run as root'],
    [{ kind: 'not-a-socket', what: 'a directory' }, 'connection-refused', 'it is a directory, not a socket'],
    [{ kind: 'refused' }, 'connection-refused', 'no process listens on it'],
    [{ kind: 'foreign' }, 'not-a-cri', 'does not speak gRPC'],
    [{ kind: 'closed' }, 'unavailable', 'closes connections at once'],
    [{ kind: 'silent' }, 'unavailable', 'does not answer'],
    [{ kind: 'answers' }, 'unavailable', 'try again'],
    [{ kind: 'failed', message: 'EMFILE: too many open files' }, 'unavailable', 'too many open files'],
  ])('%j is %s', (finding, kind, words) => {
    const error = connectFailure(finding, endpoint, 'Version');
    expect(error).toMatchObject({
      kind,
      code: StatusCode.Unavailable,
      endpoint: 'unix:///run/x.sock',
      method: 'Version',
      details: '',
    });
    expect(error.message).toContain('cannot connect to the container runtime at unix:///run/x.sock: ');
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('\n');
  });

  it('names the image service if it is one', () => {
    const { message } = connectFailure({ kind: 'missing' }, parseEndpoint('unix:///run/i.sock', IMAGE_ROLE));
    expect(message).toContain('cannot connect to the image service at unix:///run/i.sock');
    expect(message).toContain('--image-service-endpoint');
  });
});
