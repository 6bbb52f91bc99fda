import { DeadlineExceededError, errorMessage } from '@rxlet/component-base';
import { callErrorCode, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { PullCredential } from './credentials/pull-credential.ts';
import type { ImageErrorReason } from './image-error.ts';
import { redactCredentials } from './redact-credentials.ts';

/** Why a pull failed, in the terms of a container's waiting state. */
export interface PullFailure {
  readonly reason: Extract<ImageErrorReason, 'ErrImagePull' | 'RegistryUnavailable' | 'SignatureValidationFailed'>;
  readonly message: string;
}

const codeNames: ReadonlyMap<number, string> = new Map(Object.entries(StatusCode).map(([name, code]) => [code, name]));

/**
 * The runtime's words on a failed call, in the form that a kubelet shows: with the gRPC code in front, unless that is Unknown, by which a runtime
 * says that its text is all there is.
 */
export function runtimeMessage(error: unknown): string {
  const text = runtimeText(error);
  const code = error instanceof DeadlineExceededError ? StatusCode.DeadlineExceeded : callErrorCode(error);
  if (code === undefined || code === StatusCode.Unknown) return text;
  return `rpc error: code = ${codeNames.get(code) ?? String(code)} desc = ${text}`;
}

/** Errors of a connection carry the runtime's own text apart from their message. */
function runtimeText(error: unknown): string {
  if (error instanceof DeadlineExceededError) return 'context deadline exceeded';
  const details = typeof error === 'object' && error !== null && 'details' in error ? error.details : undefined;
  return typeof details === 'string' && details !== '' ? details : errorMessage(error);
}

/**
 * The one error of a pull that failed with each of its credentials: equal failures are told once, several as a list, as Go's aggregates are. Nothing of the
 * originals is kept, which may hold what the credentials are.
 */
export function combinePullErrors(errors: readonly unknown[], credentials: readonly PullCredential[]): Error {
  const redacted = (text: string): string => redactCredentials(text, credentials);
  const messages = [...new Set(errors.map((error) => redacted(runtimeMessage(error))))];
  if (messages.length > 1) return new Error(`[${messages.join(', ')}]`);
  const code = callErrorCode(errors[0]);
  const text = redacted(runtimeText(errors[0]));
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
  const text = runtimeText(error);
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
      return { reason: 'ErrImagePull', message: runtimeMessage(error) };
  }
}
