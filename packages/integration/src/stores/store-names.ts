/** The stores that live in this process or in files of this machine. */
export const LOCAL_STORE_NAMES = ['memory', 'file', 'sqlite'] as const;

/** The stores that a command can be told to use. */
export const STORE_NAMES = [...LOCAL_STORE_NAMES, 'postgres', 'redis', 'dynamodb', 'kv'] as const;

export type StoreName = (typeof STORE_NAMES)[number];
