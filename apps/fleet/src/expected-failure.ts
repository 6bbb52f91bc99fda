import { isKubeError } from '@rxlet/kube-api/client';

/** Reports whether a failure is that of the cluster or of the system, not a defect of the program. */
export function isExpectedFailure(error: unknown): boolean {
  return isKubeError(error) || isSystemError(error) || (error instanceof Error && isSystemError(error.cause));
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
