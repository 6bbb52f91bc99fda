import { errorMessage } from '@rxlet/component-base';
import { ServiceError, StatusCode } from '@rxlet/cri-api';

/** An error answer of Docker. */
export class DockerError extends ServiceError {
  /** HTTP status. */
  readonly httpStatus: number;

  constructor(httpStatus: number, message: string, options?: ErrorOptions) {
    super(codeOf(httpStatus), message, options);
    this.httpStatus = httpStatus;
  }
}

/** Docker cannot be reached, or the connection broke during the call. */
export class DockerUnavailableError extends ServiceError {
  constructor(socketPath: string, cause: unknown) {
    super(StatusCode.Unavailable, `cannot reach Docker at ${socketPath}: ${errorMessage(cause)}`, { cause });
  }
}

/** Reports whether Docker answered that the object does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof DockerError && error.httpStatus === 404;
}

/** Reports whether Docker answered that the object is in a state, or has a name, that conflicts with the call. */
export function isConflict(error: unknown): error is DockerError {
  return error instanceof DockerError && error.httpStatus === 409;
}

function codeOf(httpStatus: number): StatusCode {
  switch (httpStatus) {
    case 400:
      return StatusCode.InvalidArgument;
    case 401:
      return StatusCode.Unauthenticated;
    case 403:
      return StatusCode.PermissionDenied;
    case 404:
      return StatusCode.NotFound;
    case 409:
      return StatusCode.FailedPrecondition;
    default:
      return StatusCode.Unknown;
  }
}
