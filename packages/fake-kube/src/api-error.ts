import type { Status, StatusCause } from '@rxlet/kube-api';
import { qualifiedName, type ResourceType } from './resource-type.ts';

/** Names of failures that a server reports, with their HTTP status. */
const CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

/** Reason of an {@link ApiError}, in the vocabulary of `metav1.Status`. */
export type ApiErrorReason = keyof typeof CODES;

/** Details of an {@link ApiError}. */
export interface ApiErrorDetails {
  readonly type?: Pick<ResourceType, 'group' | 'plural'>;
  readonly name?: string | undefined;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A request that the server rejects. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly reason: ApiErrorReason;
  readonly details: ApiErrorDetails;

  constructor(reason: ApiErrorReason, message: string, details: ApiErrorDetails = {}) {
    super(message);
    this.reason = reason;
    this.details = details;
  }

  get code(): number {
    return CODES[this.reason];
  }
}

/** Returns the Status object that describes an error. */
export function statusOf({ reason, code, message, details }: ApiError): Status {
  const { type, name, causes, retryAfterSeconds } = details;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...((type ?? name ?? causes ?? retryAfterSeconds) !== undefined && {
      details: {
        ...(name !== undefined && { name }),
        ...(type !== undefined && type.group !== '' && { group: type.group }),
        ...(type !== undefined && { kind: type.plural }),
        ...(causes !== undefined && { causes }),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      },
    }),
    code,
  };
}

export function notFound(type: ResourceType, name: string): ApiError {
  return new ApiError('NotFound', `${qualifiedName(type)} "${name}" not found`, { type, name });
}

export function alreadyExists(type: ResourceType, name: string): ApiError {
  return new ApiError('AlreadyExists', `${qualifiedName(type)} "${name}" already exists`, { type, name });
}

export function conflict(type: ResourceType, name: string, cause: string): ApiError {
  return new ApiError('Conflict', `Operation cannot be fulfilled on ${qualifiedName(type)} "${name}": ${cause}`, {
    type,
    name,
  });
}

/** Fails because an object is not valid; `cause` names the field. */
export function invalid(type: ResourceType, name: string, cause: StatusCause): ApiError {
  const { field = '', message = '' } = cause;
  return new ApiError('Invalid', `${type.kind}${groupOf(type)} "${name}" is invalid: ${field}: ${message}`, {
    type,
    name,
    causes: [cause],
  });
}

function groupOf({ group }: ResourceType): string {
  return group === '' ? '' : `.${group}`;
}
