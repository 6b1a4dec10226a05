export interface ThreadOrder {
  readonly module: string;
  readonly config: unknown;
  readonly id: string;
  readonly owner: string;
  readonly saves: number;
  readonly bytes: number;
  readonly leased: boolean;
}

export interface ThreadReport {
  readonly saved: number;
  readonly refused: number;
  readonly failure?: string;
}
