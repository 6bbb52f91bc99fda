import { CNI_BIN_DIRECTORY, type Layout, type Paths, pathsOf } from './layout.ts';

/** Parts of the configuration that depend on the machine and the caller. */
export interface ConfigOptions {
  readonly sandboxImage: string;
  /** `native` copies every layer; it is for file systems on which overlayfs cannot be stacked. */
  readonly snapshotter: 'overlayfs' | 'native';
  /** Major version of containerd. From 2 on, its configuration has version 3. */
  readonly majorVersion: number;
}

/** Returns containerd's config.toml. All its state is below the layout's directory. */
export function containerdConfig(layout: Layout, options: ConfigOptions): string {
  const paths = pathsOf(layout);
  const isVersion3 = options.majorVersion >= 2;
  return `version = ${isVersion3 ? '3' : '2'}
root = ${text(paths.root)}
state = ${text(paths.state)}
# Snapshotters that need a file system of their own, and what would write or listen outside of root and state.
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.internal.v1.opt",
  "io.containerd.nri.v1.nri",
]

[grpc]
  address = ${text(paths.socket)}

[debug]
  level = "debug"

${isVersion3 ? criVersion3(paths, options) : criVersion2(paths, options)}`;
}

/** Returns a TOML string; those of JSON are its basic strings. */
function text(value: string): string {
  return JSON.stringify(value);
}

function criVersion2(paths: Paths, { sandboxImage, snapshotter }: ConfigOptions): string {
  return `[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${text(sandboxImage)}
  # Inside a container or a user session containerd may not lower a process's score below its own.
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"

[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = ${text(snapshotter)}
  default_runtime_name = "runc"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  Root = ${text(paths.runcRoot)}
  SystemdCgroup = false

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = ${text(CNI_BIN_DIRECTORY)}
  conf_dir = ${text(paths.cniConfig)}
`;
}

function criVersion3(paths: Paths, { sandboxImage, snapshotter }: ConfigOptions): string {
  return `[plugins."io.containerd.cri.v1.images"]
  snapshotter = ${text(snapshotter)}

[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = ${text(sandboxImage)}

[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  enable_cdi = true
  cdi_spec_dirs = [${text(paths.cdi)}]

[plugins."io.containerd.cri.v1.runtime".containerd]
  default_runtime_name = "runc"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
  Root = ${text(paths.runcRoot)}
  SystemdCgroup = false

[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = [${text(CNI_BIN_DIRECTORY)}]
  conf_dir = ${text(paths.cniConfig)}

[plugins."io.containerd.grpc.v1.cri"]
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
`;
}

/** Returns the CNI network: a bridge of its own whose first address is the host's, addresses from a folder of its own, host ports by iptables. */
export function cniConflist(layout: Layout): string {
  const { cniAddresses } = pathsOf(layout);
  return JSON.stringify(
    {
      cniVersion: '1.0.0',
      name: layout.bridge,
      plugins: [
        {
          type: 'bridge',
          bridge: layout.bridge,
          isGateway: true,
          // Pods need not reach other networks, so no masquerading rules need to be removed.
          ipMasq: false,
          hairpinMode: true,
          ipam: {
            type: 'host-local',
            dataDir: cniAddresses,
            ranges: [[{ subnet: layout.subnet }]],
            routes: [{ dst: '0.0.0.0/0' }],
          },
        },
        { type: 'portmap', capabilities: { portMappings: true } },
      ],
    },
    null,
    2,
  );
}
