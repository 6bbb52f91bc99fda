import type { HostPathMaker } from '@rxlet/agent-api/volumes';
import type { ImageService, RuntimeService } from '@rxlet/cri-api';
import type { PullProgressSource } from '@rxlet/cri-api/pull-progress';
import type { HintSource } from '@rxlet/pleg';

/** The ports of the chosen runtime. */
export interface RuntimeConnection extends AsyncDisposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Event streams in order of preference: those of containerd reach every subscriber, its CRI events before 2.0 do not. */
  readonly hints: readonly HintSource[];
  readonly pullProgress: PullProgressSource;
  /** Creates files and directories of hostPath volumes. Default: on this machine. */
  readonly hostPaths?: HostPathMaker | undefined;
}
