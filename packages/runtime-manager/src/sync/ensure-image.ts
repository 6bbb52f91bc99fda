import type { EnsuredImage, EnsureImageRequest, ImageFailure } from '@rxlet/agent-api/images';
import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { Context } from '../context.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import { failingAs, StepFailure } from './step-failure.ts';

/** An image is not available. The image manager has recorded the details as events. */
export class ImageStepFailure extends StepFailure {}

/** Ports of {@link ensureImage}. */
export type EnsureImagePorts = Pick<Context, 'images' | 'runtimeHandler'>;

/**
 * Makes an image present through the image manager.
 * @throws StepFailure
 */
export async function ensureImage(
  ports: EnsureImagePorts,
  { pod, signal }: { readonly pod: Pod; readonly signal?: AbortSignal | undefined },
  sandbox: SandboxHandle,
  image: Pick<EnsureImageRequest, 'image' | 'pullPolicy' | 'container' | 'fieldPath'>,
): Promise<EnsuredImage> {
  const runtimeHandler = await failingAs('CreateContainerError', () => ports.runtimeHandler(pod));
  const request = { ...image, pod, sandboxConfig: sandbox.config, runtimeHandler, signal };
  try {
    return await ports.images.ensureImageExists(request);
  } catch (error) {
    const { reason = 'ErrImagePull', backoffUntilMs } = error as Partial<ImageFailure>;
    throw new ImageStepFailure(reason, errorMessage(error), { cause: error, backoffUntilMs });
  }
}
