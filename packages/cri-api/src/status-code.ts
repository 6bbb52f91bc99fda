/** The gRPC status codes, by name. */
export const StatusCode = {
  Ok: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;

/** A gRPC status code as a number. */
export type StatusCode = (typeof StatusCode)[keyof typeof StatusCode];

const names: ReadonlyMap<number, string> = new Map(Object.entries(StatusCode).map(([name, code]) => [code, name]));

/** The name of a gRPC status code: `NotFound`; `Code(99)`, as Go prints it, for a number that is none. */
export function statusCodeName(code: number): string {
  return names.get(code) ?? `Code(${String(code)})`;
}

/**
 * The gRPC status code of an error that a port rejected with, or `undefined` when it carries none.
 * Implementations differ in their error classes, but each puts the code into `code`.
 */
export function callErrorCode(error: unknown): StatusCode | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { code } = error;
  return Number.isInteger(code) && (code as number) >= 0 && (code as number) <= 16 ? (code as StatusCode) : undefined;
}

/** Whether the runtime said that the sandbox, container or image does not exist. */
export function isNotFound(error: unknown): boolean {
  return callErrorCode(error) === StatusCode.NotFound;
}

/** Whether the runtime lacks the RPC, as containerd 1.6 lacks those added after it. */
export function isUnimplemented(error: unknown): boolean {
  return callErrorCode(error) === StatusCode.Unimplemented;
}
