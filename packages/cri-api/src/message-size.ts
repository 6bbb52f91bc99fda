/** Largest message that runtimes and their clients take by default, in bytes: that of containerd, CRI-O and the kubelet. */
export const DEFAULT_MAX_MESSAGE_BYTES: number = 16 * 1024 * 1024;
