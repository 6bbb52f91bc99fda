import { createInterface } from 'node:readline';
import type { Clock, Logger } from '@rxlet/component-base';
import { type AuthConfig, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { DockerError } from '../engine/docker-error.ts';
import { parseImageReference } from './image-reference.ts';
import type { PullMessage } from './layer-progress.ts';
import type { Pulls } from './pulls.ts';

/** Settings of {@link pullImage}. */
export interface PullOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Longest time without progress, in milliseconds. */
  readonly progressDeadlineMs: number;
  /** Receives the progress. */
  readonly pulls: Pick<Pulls, 'begin'>;
}

/** Pulls an image from its registry. Rejects when that fails, or makes no progress for too long. */
export async function pullImage(
  engine: DockerEngine,
  reference: string,
  auth: AuthConfig | undefined,
  { clock, logger, progressDeadlineMs, pulls }: PullOptions,
  signal?: AbortSignal,
): Promise<void> {
  const { repository, tag, digest } = parseImageReference(reference);
  const stalled = new AbortController();
  const watch = () =>
    clock.setTimer(progressDeadlineMs, () =>
      stalled.abort(
        new ServiceError(
          StatusCode.DeadlineExceeded,
          `failed to pull image ${JSON.stringify(reference)}: no progress within ${String(progressDeadlineMs)} ms`,
        ),
      ),
    );
  let timer = watch();
  using pull = pulls.begin(reference);
  try {
    const source = await engine.stream('POST', '/images/create', {
      query: { fromImage: repository, tag: digest ?? tag },
      headers: registryAuth(auth),
      signal: signal === undefined ? stalled.signal : AbortSignal.any([signal, stalled.signal]),
    });
    for await (const line of createInterface({ input: source })) {
      timer[Symbol.dispose]();
      timer = watch();
      const message = parseMessage(line);
      const { error, id, status } = message;
      if (error !== undefined) throw pullError(reference, typeof error === 'string' ? error : JSON.stringify(error));
      pull.add(message);
      logger.debug('pulling an image', { image: reference, layer: id, status });
    }
    stalled.signal.throwIfAborted();
    signal?.throwIfAborted();
  } catch (error) {
    stalled.signal.throwIfAborted();
    throw error instanceof DockerError ? pullError(reference, error.message) : error;
  } finally {
    timer[Symbol.dispose]();
  }
}

/** Returns the header of credentials. */
export function registryAuth(auth: AuthConfig | undefined): Record<string, string> {
  if (auth === undefined) return {};
  const [user, password] = auth.auth === '' ? [auth.username, auth.password] : decodeBasic(auth.auth);
  const credentials = {
    username: user,
    password,
    serveraddress: auth.serverAddress,
    ...(auth.identityToken !== '' && { identitytoken: auth.identityToken }),
    ...(auth.registryToken !== '' && { registrytoken: auth.registryToken }),
  };
  // With padding: Docker ignores credentials without it.
  const encoded = Buffer.from(JSON.stringify(credentials)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  return { 'X-Registry-Auth': encoded };
}

function decodeBasic(auth: string): readonly [user: string, password: string] {
  const text = Buffer.from(auth, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) throw new ServiceError(StatusCode.InvalidArgument, 'the credentials of the registry have no colon');
  return [text.slice(0, colon), text.slice(colon + 1).replace(/\0+$/, '')];
}

function pullError(reference: string, message: string): ServiceError {
  const isDenied = /unauthorized|authentication required|no basic auth credentials|denied/i.test(message);
  const isAbsent = /not found|manifest unknown|does not exist/i.test(message);
  const code = isDenied ? StatusCode.PermissionDenied : isAbsent ? StatusCode.NotFound : StatusCode.Unknown;
  return new ServiceError(code, `failed to pull image ${JSON.stringify(reference)}: ${message}`);
}

function parseMessage(line: string): PullMessage {
  try {
    return (JSON.parse(line) ?? {}) as PullMessage;
  } catch {
    return {};
  }
}
