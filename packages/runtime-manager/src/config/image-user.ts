import type { Image } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { formatPod } from '@rxlet/pod-model';
import { containerConfigError } from './config-error.ts';

/** Default user of an image. One of the two fields is set. */
export interface ImageUser {
  readonly uid?: bigint;
  /** User name, which only the image's /etc/passwd can resolve. */
  readonly username?: string;
}

/** Returns the default user of an image; root for an image without one or an unknown image. */
export function imageUserOf(image: Pick<Image, 'uid' | 'username'> | undefined): ImageUser {
  if (image?.uid !== undefined) return { uid: image.uid.value };
  if (image !== undefined && image.username !== '') return { username: image.username };
  return { uid: 0n };
}

const MAX_UID = 2n ** 31n - 1n;

/**
 * Rejects a container that must not run as root (`runAsNonRoot`), unless its user is known not to be root.
 * @throws ConfigError when the container would or might run as root
 */
export function verifyRunAsNonRoot(pod: Pod, container: Container | EphemeralContainer, image: ImageUser): void {
  const ofPod = pod.spec!.securityContext;
  const own = container.securityContext;
  if ((own?.runAsNonRoot ?? ofPod?.runAsNonRoot) !== true) return;
  const where = `(pod: "${formatPod(pod)}", container: ${container.name})`;

  const runAsUser = own?.runAsUser ?? ofPod?.runAsUser;
  if (runAsUser !== undefined) {
    if (runAsUser === 0) throw containerConfigError(`container's runAsUser breaks non-root policy ${where}`);
    return;
  }
  if (image.uid === undefined) {
    throw containerConfigError(
      `container has runAsNonRoot and image has non-numeric user (${image.username ?? ''}), cannot verify user is non-root ${where}`,
    );
  }
  if (image.uid < 0n || image.uid > MAX_UID) {
    throw containerConfigError(
      `container has runAsNonRoot and image has an invalid user id (${String(image.uid)}) ${where}`,
    );
  }
  if (image.uid === 0n) throw containerConfigError(`container has runAsNonRoot and image will run as root ${where}`);
}
