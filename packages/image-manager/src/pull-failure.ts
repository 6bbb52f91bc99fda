import { DeadlineExceededError } from '@rxlet/component-base';
import { callErrorCode, callErrorDetails, callErrorText, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { PullCredential } from './credentials/pull-credential.ts';
import type { ImageErrorReason } from './image-error.ts';
import { redactCredentials } from './redact-credentials.ts';

/** Why a pull failed, in the terms of a container's waiting state. */
export interface PullFailure {
  readonly reason: Extract<ImageErrorReason, 'ErrImagePull' | 'RegistryUnavailable' | 'SignatureValidationFailed'>;
  readonly message: string;
}

/** The text of a failed call to the runtime; one that was given up after its time is told as if the runtime had ended it. */
export function runtimeErrorText(error: unknown): string {
  return error instanceof DeadlineExceededError
    ? callErrorText(new ServiceError(StatusCode.DeadlineExceeded, 'context deadline exceeded'))
    : callErrorText(error);
}

/** The text of a failed pull. Here a kubelet leaves out the code Unknown, by which a runtime says that its words are all there is. */
export function pullErrorText(error: unknown): string {
  return callErrorCode(error) === StatusCode.Unknown ? callErrorDetails(error) : callErrorText(error);
}

/**
 * The one error of a pull that failed with each of its credentials: equal failures are told once, several as a list, as Go's aggregates are. Nothing of the
 * originals is kept, which may hold what the credentials are.
 */
export function combinePullErrors(errors: readonly unknown[], credentials: readonly PullCredential[]): Error {
  const redacted = (text: string): string => redactCredentials(text, credentials);
  const messages = [...new Set(errors.map((error) => redacted(pullErrorText(error))))];
  if (messages.length > 1) return new Error(`[${messages.join(', ')}]`);
  const code = callErrorCode(errors[0]);
  const text = redacted(callErrorDetails(errors[0]));
  return code === undefined ? new Error(text) : new ServiceError(code, text);
}

/** Whether the runtime may still complete a pull that it did not confirm. */
export function isUnknownOutcome(error: unknown): boolean {
  const code = callErrorCode(error);
  return code === StatusCode.Canceled || code === StatusCode.DeadlineExceeded || code === StatusCode.Unavailable;
}

/**
 * Sorts a failed pull: a runtime marks two causes by the first word of its message (`k8s.io/cri-api/pkg/errors`), whatever the gRPC code.
 * `image` is as the pod's author wrote it.
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
