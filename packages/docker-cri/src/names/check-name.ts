import { ServiceError, StatusCode } from '@rxlet/cri-api';

const PART = /^[a-zA-Z0-9.-]+$/;

/** Throws InvalidArgument unless each part can be in a name of Docker's, in which an underscore separates parts. */
export function checkName(parts: Readonly<Record<string, string>>): void {
  for (const [field, value] of Object.entries(parts)) {
    if (!PART.test(value)) {
      throw new ServiceError(
        StatusCode.InvalidArgument,
        `the ${field} ${JSON.stringify(value)} must consist of letters, digits, dots and dashes`,
      );
    }
  }
}
