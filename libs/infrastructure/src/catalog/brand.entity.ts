import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('brands')
export class BrandEntity {
  @PrimaryColumn({ name: 'store_id', type: 'int' })
  storeId!: number;

  @PrimaryColumn({ type: 'int' })
  id!: number;

  @Column({ type: 'text' })
  slug!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  logo!: string;

  @Column({ type: 'text' })
  description!: string;

  @Column({ type: 'boolean' })
  active!: boolean;
}
