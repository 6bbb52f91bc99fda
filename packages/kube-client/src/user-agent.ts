/** Parts of a user agent. */
export interface UserAgentParts {
  /** Name of the program, which becomes the owner of written fields: `kubelet`. */
  readonly program: string;
  /** Such as `v1.36.2`. */
  readonly version: string;
  /** As Node.js names them: `linux`, `x64`. */
  readonly platform: string;
  readonly architecture: string;
  /** Default: `unknown`. */
  readonly commit?: string;
}

const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
const COMMIT_LENGTH = 7;

/** Returns a user agent in the shape of client-go: `kubelet/v1.36.2 (linux/amd64) kubernetes/1a2b3c4`. */
export function userAgent({ program, version, platform, architecture, commit = 'unknown' }: UserAgentParts): string {
  const go = GO_ARCHITECTURES[architecture] ?? architecture;
  return `${program}/${version} (${platform}/${go}) kubernetes/${commit.slice(0, COMMIT_LENGTH)}`;
}
