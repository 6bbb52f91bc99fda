import { ServiceError, StatusCode } from '@rxlet/cri-api';

/** Answer of `GET /version`. */
export interface DockerVersion {
  readonly Version: string;
  readonly ApiVersion: string;
  readonly MinAPIVersion?: string;
}

/** First version of the API with all that this package uses (Docker 20.10). */
const OLDEST = '1.41';
/** Latest version whose answers this package reads (Docker 29). */
const NEWEST = '1.52';

/** Returns the latest version of the API that both sides speak. Throws FailedPrecondition when there is none. */
export function negotiateVersion({ Version, ApiVersion, MinAPIVersion = OLDEST }: DockerVersion): string {
  const chosen = isAtLeast(ApiVersion, NEWEST) ? NEWEST : ApiVersion;
  if (isAtLeast(chosen, OLDEST) && isAtLeast(chosen, MinAPIVersion)) return chosen;
  throw new ServiceError(
    StatusCode.FailedPrecondition,
    `Docker ${Version} speaks versions ${MinAPIVersion} to ${ApiVersion} of its API: ${OLDEST} to ${NEWEST} are supported`,
  );
}

function isAtLeast(version: string, minimum: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = minimum.split('.').map(Number);
  return major === minMajor ? minor >= minMinor : major > minMajor;
}
