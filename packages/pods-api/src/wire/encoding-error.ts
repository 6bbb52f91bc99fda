import { errorMessage } from '@rxlet/component-base';

/** A pod has no representation in Kubernetes' protobuf format, because a value has another type than the API declares. */
export class PodEncodingError extends Error {
  override readonly name = 'PodEncodingError';
  /** Path of the value, such as `spec.containers[0].image`. */
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}`, options);
    this.path = path;
  }
}

/** Returns the error of a value for the object that has it at `segment`, a name or an index. */
export function within(segment: string, error: unknown): PodEncodingError {
  if (!(error instanceof PodEncodingError)) return new PodEncodingError(segment, errorMessage(error), { cause: error });
  const { path, message, cause } = error;
  const separator = path.startsWith('[') ? '' : '.';
  return new PodEncodingError(`${segment}${separator}${path}`, message.slice(path.length + 2), { cause });
}
