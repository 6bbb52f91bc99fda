import { type Clock, sleep } from '@rxlet/component-base';
import type { AuthConfig } from '@rxlet/cri-api';
import type { Image } from '../image.ts';
import { formatReference, parseImageReference, registryHost } from '../image-reference.ts';
import { isAccepted, presentedCredentials } from './credentials.ts';
import type { FakeImage } from './fake-image.ts';
import type { ImageDisk } from './image-disk.ts';
import type { PullableRegistry } from './image-registry.ts';
import { pullError } from './pull-errors.ts';
import type { PullTracker } from './pull-progress.ts';

/** Ports of a pull. */
export interface PullPorts {
  readonly clock: Clock;
  readonly registry: PullableRegistry;
  readonly disk: ImageDisk;
  readonly tracker: Pick<PullTracker, 'begin'>;
  isPresent(id: string): boolean;
}

/** The call that requests the pull; its signal ends it, and is read only if the pull must wait. */
export interface PullCall {
  readonly signal: AbortSignal;
}

/**
 * Pulls an image, without adding it to the store: queries the registry, which takes the image's latency and checks credentials, and then downloads missing
 * content at its bandwidth. Resolves with the image, whose disk space is reserved until `add` has run. Rejects with the errors in {@link PullErrorKind}, with
 * InvalidArgument for a malformed reference and with the reason of the call's signal.
 */
export async function pullImage(
  { clock, registry, disk, tracker, isPresent }: PullPorts,
  reference: string,
  auth: AuthConfig | undefined,
  call: PullCall,
  add: (image: Image) => Image,
): Promise<Image> {
  const parsed = parseImageReference(reference);
  const name = formatReference(parsed);
  using pull = tracker.begin(reference);
  const described = registry.describe(parsed);
  const wait = async (delayMs: number): Promise<void> => {
    if (delayMs > 0) await sleep(clock, delayMs, call.signal);
  };

  await wait(described?.pullLatencyMs ?? 0);
  const error = described && registry.takeError(described);
  if (error !== undefined) throw pullError(error.kind, name, error.message);
  if (described?.credentials !== undefined) checkCredentials(described, name, auth, registryHost(parsed));
  const image = registry.resolve(parsed);
  if (image === undefined) throw pullError('not-found', name);
  // Present content only gets another name.
  if (isPresent(image.id)) return add(image);

  const sizeBytes = Number(image.message.size);
  using room = disk.reserve(image.id, sizeBytes);
  const bytesPerSecond = described?.bandwidthBytesPerSecond ?? Infinity;
  pull.download(sizeBytes, (sizeBytes / bytesPerSecond) * 1000);
  await wait((room.bytes / bytesPerSecond) * 1000);
  if (room.bytes < sizeBytes) throw pullError('no-space', name);
  return add(image);
}

function checkCredentials(image: FakeImage, name: string, auth: AuthConfig | undefined, host: string): void {
  const presented = presentedCredentials(auth, host);
  if (isAccepted(presented, image.credentials ?? [])) return;
  if (presented === 'malformed') throw pullError('unauthorized', name, 'invalid auth config');
  throw pullError(presented === 'none' ? 'access-denied' : 'unauthorized', name);
}
