// Writes what a dispatcher does as a table for `raddle check-placement`.
module raddle_recorder #(
  parameter UNITS = 4, WAVE_SLOTS = 40, VGPR = 256, LDS = 64
);
  integer file;
  initial begin
    file = $fopen("placements.csv", "w");
    $fwrite(file, "# raddle placement table 1\n");
    $fwrite(file, "# units = %0d\n# wave-slots = %0d\n", UNITS, WAVE_SLOTS);
    $fwrite(file, "# resource vgpr = %0d per-wave\n", VGPR);
    $fwrite(file, "# resource lds = %0d shared\n", LDS);
    $fwrite(file, "clock,event,unit,workgroup,waves,wave,tag,");
    $fwrite(file, "vgpr_start,vgpr_size,lds_start,lds_size\n");
  end
  // A workgroup waits for a place, with these sizes.
  task request(input integer clock, workgroup, waves, vgpr, lds);
    $fwrite(file, "%0d,request,,%0d,%0d,,,,%0d,,%0d\n",
            clock, workgroup, waves, vgpr, lds);
  endtask
  // A workgroup gets a part of a unit.
  task place(input integer clock, unit, workgroup, waves,
             input integer vgpr_start, vgpr, lds_start, lds);
    $fwrite(file, "%0d,place,%0d,%0d,%0d,,,%0d,%0d,%0d,%0d\n", clock, unit,
            workgroup, waves, vgpr_start, vgpr, lds_start, lds);
  endtask
  // A wave starts, with the bases that it is given.
  task wave(input integer clock, unit, workgroup, number, tag, vgpr_base, lds_base);
    $fwrite(file, "%0d,wave,%0d,%0d,,%0d,%0d,%0d,,%0d,\n",
            clock, unit, workgroup, number, tag, vgpr_base, lds_base);
  endtask
  // A wave ends.
  task ends(input integer clock, unit, workgroup, number, tag);
    $fwrite(file, "%0d,end,%0d,%0d,,%0d,%0d,,,,\n",
            clock, unit, workgroup, number, tag);
  endtask
  // A workgroup gives its part back.
  task free(input integer clock, unit, workgroup);
    $fwrite(file, "%0d,free,%0d,%0d,,,,,,,\n", clock, unit, workgroup);
  endtask
endmodule
