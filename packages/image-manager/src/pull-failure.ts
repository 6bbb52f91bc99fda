import type { ImageFailureReason, PullCredential } from '@rxlet/agent-api/images';
import { DeadlineExceededError } from '@rxlet/component-base';
import { callErrorCode, callErrorDetails, callErrorText, ServiceError, StatusCode } from '@rxlet/cri-api';
import { createRedaction } from './redact-credentials.ts';

/** Reason and message of a failed pull, for a container's waiting state. */
export interface PullFailure {
  readonly reason: Extract<ImageFailureReason, 'ErrImagePull' | 'RegistryUnavailable' | 'SignatureValidationFailed'>;
  readonly message: string;
}

/** Returns the text of a failed call to the runtime. A timeout of this side reads like one of the runtime. */
export function runtimeErrorText(error: unknown): string {
  return error instanceof DeadlineExceededError
    ? callErrorText(new ServiceError(StatusCode.DeadlineExceeded, 'context deadline exceeded'))
    : callErrorText(error);
}

/** Returns the text of a failed pull, without the code Unknown, as the kubelet does. */
export function pullErrorText(error: unknown): string {
  return callErrorCode(error) === StatusCode.Unknown ? callErrorDetails(error) : callErrorText(error);
}

/** Failures of one pull in its error: a pull secret may have thousands of credentials for an image. */
const MAX_SHOWN = 20;

/**
 * Returns the error of a pull that failed with each of its credentials. Equal failures appear once, several as a list, like Go's aggregates, of 20 at most. The result keeps
 * nothing of the originals, which may contain credentials.
 */
export function combinePullErrors(errors: readonly unknown[], credentials: readonly PullCredential[]): Error {
  const redacted = createRedaction(credentials);
  const texts = [...new Set(errors.map(pullErrorText))];
  const messages = [...new Set(texts.slice(0, MAX_SHOWN).map(redacted))];
  if (texts.length > MAX_SHOWN) messages.push(`and ${String(texts.length - MAX_SHOWN)} more`);
  if (messages.length > 1) return new Error(`[${messages.join(', ')}]`);
  const code = callErrorCode(errors[0]);
  const text = redacted(callErrorDetails(errors[0]));
  return code === undefined ? new Error(text) : new ServiceError(code, text);
}

/** Reports whether the runtime may still complete a pull that it did not confirm. */
export function isUnknownOutcome(error: unknown): boolean {
  const code = callErrorCode(error);
  return code === StatusCode.Canceled || code === StatusCode.DeadlineExceeded || code === StatusCode.Unavailable;
}

/**
 * Classifies a failed pull. A runtime marks two causes by the first word of its message (`k8s.io/cri-api/pkg/errors`), with any gRPC code. `image` is the
 * reference from the pod's spec.
 */
export function classifyPullFailure(image: string, error: unknown): PullFailure {
  const text = callErrorDetails(error);
  const marked = /^(RegistryUnavailable|SignatureValidationFailed)(.*)$/s.exec(text);
  switch (marked?.[1]) {
    case 'RegistryUnavailable':
      return {
        reason: 'RegistryUnavailable',
        message: `image pull failed for ${image} because the registry is unavailable${marked[2]!}`,
      };
    case 'SignatureValidationFailed':
      return {
        reason: 'SignatureValidationFailed',
        message: `image pull failed for ${image} because the signature validation failed${marked[2]!}`,
      };
    default:
      return { reason: 'ErrImagePull', message: pullErrorText(error) };
  }
}
