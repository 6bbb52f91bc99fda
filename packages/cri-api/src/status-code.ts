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

/** Returns the name of a gRPC status code: `NotFound`; for an unknown number `Code(99)`, as Go prints it. */
export function statusCodeName(code: number): string {
  return names.get(code) ?? `Code(${String(code)})`;
}

/**
 * Returns the gRPC status code of a port's error; `undefined` when it has none. Implementations differ in their error classes, but all put the code into
 * `code`.
 */
export function callErrorCode(error: unknown): StatusCode | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { code } = error;
  return Number.isInteger(code) && (code as number) >= 0 && (code as number) <= 16 ? (code as StatusCode) : undefined;
}

/** Reports whether the runtime answered that the sandbox, container or image does not exist. */
export function isNotFound(error: unknown): boolean {
  return callErrorCode(error) === StatusCode.NotFound;
}

/** Reports whether the runtime lacks the RPC, as containerd 1.6 lacks those added after it. */
export function isUnimplemented(error: unknown): boolean {
  return callErrorCode(error) === StatusCode.Unimplemented;
}
