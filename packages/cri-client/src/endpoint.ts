import { StatusCode } from '@rxlet/cri-api';
import { CriError } from './cri-error.ts';

/** Half of the CRI that an endpoint serves, with its names in messages. */
export interface EndpointRole {
  readonly noun: string;
  /** The kubelet's flag that sets the endpoint. */
  readonly flag: string;
}

export const RUNTIME_ROLE: EndpointRole = { noun: 'container runtime', flag: '--container-runtime-endpoint' };
export const IMAGE_ROLE: EndpointRole = { noun: 'image service', flag: '--image-service-endpoint' };

/** Address of a CRI service. */
export interface Endpoint {
  /** Canonical form, for people: `unix:///path`. */
  readonly url: string;
  /** Absolute path of the socket. */
  readonly path: string;
  readonly role: EndpointRole;
  /** Whether the endpoint was a bare path, which the kubelet still accepts with a warning. */
  readonly deprecatedForm: boolean;
}

/** Maximum length of a path: `sun_path` has 108 bytes, the last of which ends the string. */
const MAX_PATH_BYTES = 107;

/**
 * Parses an endpoint as the kubelet does: `unix:///run/x.sock`, or, deprecated, a bare absolute path.
 *
 * @throws CriError of kind `invalid-endpoint`
 */
export function parseEndpoint(text: string, role: EndpointRole = RUNTIME_ROLE): Endpoint {
  const deprecatedForm = text.startsWith('/');
  const path = deprecatedForm ? text : /^unix:(?:\/\/)?(\/(?!\/).*)$/.exec(text)?.[1];
  if (path === undefined) throw invalidEndpoint(text, role, formProblem(text));
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw invalidEndpoint(
      text,
      role,
      `the path of a socket has at most ${String(MAX_PATH_BYTES)} bytes; use a shorter one`,
    );
  }
  return { url: `unix://${path}`, path, role, deprecatedForm };
}

function formProblem(text: string): string {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/*(.*)$/i.exec(text) ?? [];
  if (scheme === 'unix' && rest) return `its path is relative; write unix:///${rest}`;
  const advice = 'give the absolute path of its socket, such as unix:///run/containerd/containerd.sock';
  if (scheme !== undefined && scheme !== 'unix') return `${scheme} is not supported, only unix sockets are; ${advice}`;
  return text === '' || scheme === 'unix' ? `it has no path; ${advice}` : `its path is relative; ${advice}`;
}

function invalidEndpoint(text: string, role: EndpointRole, problem: string): CriError {
  const message = `cannot use ${JSON.stringify(text)} as the endpoint of the ${role.noun} (${role.flag}): ${problem}`;
  return new CriError(message, { kind: 'invalid-endpoint', code: StatusCode.InvalidArgument, endpoint: text });
}
