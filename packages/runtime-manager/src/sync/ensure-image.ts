import { errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { Context } from '../context.ts';
import type { EnsuredImage, EnsureImageRequest, ImageFailure } from '../ports.ts';
import type { SandboxHandle } from './create-sandbox.ts';
import { failingAs, StepFailure } from './step-failure.ts';

/** There is no image to start from. The image manager has told the details in events of its own. */
export class ImageStepFailure extends StepFailure {}

/**
 * Asks the image manager for an image.
 * @throws StepFailure
 */
export async function ensureImage(
  context: Context,
  { pod, signal }: { readonly pod: Pod; readonly signal?: AbortSignal | undefined },
  sandbox: SandboxHandle,
  wanted: Pick<EnsureImageRequest, 'image' | 'pullPolicy' | 'container' | 'fieldPath'>,
): Promise<EnsuredImage> {
  const runtimeHandler = await failingAs('CreateContainerError', () => context.runtimeHandler(pod));
  const request = { ...wanted, pod, sandboxConfig: sandbox.config, runtimeHandler, signal };
  try {
    return await context.images.ensureImageExists(request);
  } catch (error) {
    const { reason = 'ErrImagePull', backoffUntilMs } = error as Partial<ImageFailure>;
    throw new ImageStepFailure(reason, errorMessage(error), { cause: error, backoffUntilMs });
  }
}
