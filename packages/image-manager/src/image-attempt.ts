import type { PullCredential } from '@rxlet/agent-api/images';
import type { ImageRequest } from './image-request.ts';

/** A request that is being processed. */
export interface ImageAttempt {
  readonly request: ImageRequest & { readonly signal: AbortSignal };
  /** The requested image in quotes, for messages. */
  readonly quoted: string;
  /** The image with its default tag. */
  readonly image: string;
  /** Returns the pod's credentials for the image, looked up at the first call. */
  readonly credentials: () => Promise<readonly PullCredential[]>;
}
